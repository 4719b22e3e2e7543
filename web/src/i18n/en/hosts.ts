export default { title: "hosts" };
