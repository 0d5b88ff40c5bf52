/** Single-key shortcuts. They can be turned off, and none of them moves money. */

const setting = 'switchyard.keys'

export function areShortcutsEnabled(): boolean {
  return localStorage.getItem(setting) !== 'off'
}

export function setShortcutsEnabled(isEnabled: boolean): void {
  localStorage.setItem(setting, isEnabled ? 'on' : 'off')
}

export function isTyping({ target }: Event): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
