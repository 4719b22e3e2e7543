export default { title: "newCrawl" };
