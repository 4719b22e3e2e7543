export default { title: "nodes" };
