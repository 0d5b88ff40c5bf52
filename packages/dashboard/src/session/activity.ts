/** Whether somebody is there. A page that is merely open must not keep a session alive. */

let hasActed = true

export function watchActivity(): void {
  for (const sign of ['pointerdown', 'keydown', 'wheel'] as const)
    addEventListener(sign, noteActivity, { capture: true, passive: true })
}

export function noteActivity(): void {
  hasActed = true
}

/** Whether somebody has done something that the server was not told of. */
export function hasActivity(): boolean {
  return hasActed
}

/** The same, and it counts as told. */
export function takeActivity(): boolean {
  const before = hasActed
  hasActed = false
  return before
}
