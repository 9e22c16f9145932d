console.log("phishwatch");
