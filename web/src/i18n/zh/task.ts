export default { title: "task" };
