/** Tracks user activity. An open page without activity must not keep a session alive. */

let isUnreported = true

export function watchActivity(): void {
  for (const eventName of ['pointerdown', 'keydown', 'wheel'] as const)
    addEventListener(eventName, recordActivity, { capture: true, passive: true })
}

export function recordActivity(): void {
  isUnreported = true
}

/** Whether there was activity that was not yet reported to the server. */
export function hasActivity(): boolean {
  return isUnreported
}

/** Like `hasActivity`, and marks the activity as reported. */
export function consumeActivity(): boolean {
  const before = isUnreported
  isUnreported = false
  return before
}
