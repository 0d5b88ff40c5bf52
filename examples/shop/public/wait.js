// Polls the shop once a second, and reloads the page when the order has changed.

const { pollUrl, version } = document.querySelector('[data-poll-url]').dataset

async function poll() {
  const response = await fetch(pollUrl).catch(() => null)
  if (response?.ok && (await response.text()) !== version) location.reload()
  else setTimeout(poll, 1000)
}

setTimeout(poll, 1000)
