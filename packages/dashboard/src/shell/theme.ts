/** The theme: the system theme, unless the user has selected another. */

export type Theme = 'system' | 'light' | 'dark'
const setting = 'switchyard.theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(setting)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(setting)
  else localStorage.setItem(setting, theme)
  applyTheme()
}

export function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
