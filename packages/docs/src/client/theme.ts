/**
 * Runs before the first paint, so that the page does not flash in the wrong theme. It is a separate script without
 * imports. If site data is blocked, reading it throws, and the system theme is used.
 */
try {
  const savedTheme = localStorage.getItem('switchyard.theme')
  if (savedTheme === 'light' || savedTheme === 'dark') document.documentElement.dataset.theme = savedTheme
} catch {}
