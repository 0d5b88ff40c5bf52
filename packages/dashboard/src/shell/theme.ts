/** Light or dark: as the system has it, unless the person has chosen. */

export type Theme = 'system' | 'light' | 'dark'
const setting = 'switchyard.theme'

export function themeNow(): Theme {
  const kept = localStorage.getItem(setting)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(setting)
  else localStorage.setItem(setting, theme)
  applyTheme()
}

export function applyTheme(): void {
  const theme = themeNow()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
