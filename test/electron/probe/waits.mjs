// Lives until it is ended.
setInterval(() => {}, 60_000)
