export default { title: "tasks" };
