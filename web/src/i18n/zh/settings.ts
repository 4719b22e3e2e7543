export default { title: "settings" };
