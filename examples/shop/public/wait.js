// Polls the shop once a second, and reloads the page when the order has changed.

const { lookAgain, seen } = document.querySelector('[data-look-again]').dataset

async function poll() {
  const response = await fetch(lookAgain).catch(() => null)
  if (response?.ok && (await response.text()) !== seen) location.reload()
  else setTimeout(poll, 1000)
}

setTimeout(poll, 1000)
