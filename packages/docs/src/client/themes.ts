/** The theme button with three states: system, light and dark. */

const storageKey = 'switchyard.theme'
const order = ['system', 'light', 'dark'] as const
type Theme = (typeof order)[number]

export function addThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-act="theme"]')
  if (button === null) return
  const updateLabel = (): void => {
    button.textContent = labels[currentTheme()]
    button.ariaLabel = `Theme: ${labels[currentTheme()]}. Change theme`
  }
  button.addEventListener('click', () => {
    applyTheme(order[(order.indexOf(currentTheme()) + 1) % order.length] ?? 'system')
    updateLabel()
  })
  updateLabel()
  button.hidden = false
}

const labels: { readonly [T in Theme]: string } = { system: 'Auto', light: 'Light', dark: 'Dark' }

/** The current theme of the page. It starts with the saved theme, and can change even if nothing can be saved. */
function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  saveTheme(theme)
}

/** Saves the theme for other pages. If site data is blocked, the choice only applies to this page. */
function saveTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme)
  } catch {}
}
