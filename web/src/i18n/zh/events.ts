export default { title: "events" };
