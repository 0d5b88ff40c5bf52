/**
 * Runs before the page is drawn, so that nobody who chose a theme sees a flash of the other. It is loaded by itself,
 * and imports nothing. Where site data is blocked, reading it throws, and the system decides.
 */
try {
  const chosen = localStorage.getItem('switchyard.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {}
