/** Light or dark: as the system has it, unless the reader has chosen. Three states, one button. */

const setting = 'switchyard.theme'
const order = ['system', 'light', 'dark'] as const
type Theme = (typeof order)[number]

export function offerThemes(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-act="theme"]')
  if (button === null) return
  const show = (): void => {
    button.textContent = words[now()]
    button.ariaLabel = `Theme: ${words[now()]}. Change it`
  }
  button.addEventListener('click', () => {
    choose(order[(order.indexOf(now()) + 1) % order.length] ?? 'system')
    show()
  })
  show()
  button.hidden = false
}

const words: { readonly [T in Theme]: string } = { system: 'Auto', light: 'Light', dark: 'Dark' }

/** As the page has it: it begins with what is kept, and where nothing can be kept it still changes. */
function now(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function choose(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  keep(theme)
}

/** For the next page. Where site data is blocked, the choice is for this one alone. */
function keep(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(setting)
    else localStorage.setItem(setting, theme)
  } catch {}
}
