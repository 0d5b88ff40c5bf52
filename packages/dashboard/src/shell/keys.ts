/** Single keys as short cuts. They can be turned off, and none of them ever acts on money. */

const setting = 'switchyard.keys'

export function areKeysOn(): boolean {
  return localStorage.getItem(setting) !== 'off'
}

export function turnKeys(on: boolean): void {
  localStorage.setItem(setting, on ? 'on' : 'off')
}

export function isTyping({ target }: Event): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
