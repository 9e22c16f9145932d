// Runs last: prepares what the server sent.
prepare(document);
startPanel();
