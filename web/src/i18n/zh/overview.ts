export default { title: "overview" };
