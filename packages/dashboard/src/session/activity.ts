/** Whether somebody is there. A page that is merely open must not keep a session alive. */

let hasActed = true

export function watchActivity(): void {
  const note = () => {
    hasActed = true
  }
  for (const sign of ['pointerdown', 'keydown', 'wheel'] as const)
    addEventListener(sign, note, { capture: true, passive: true })
}

/** Whether somebody has done something since this was asked the last time. */
export function takeActivity(): boolean {
  const before = hasActed
  hasActed = false
  return before
}
