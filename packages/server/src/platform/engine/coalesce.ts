/**
 * Says the same thing once instead of many times in a row. The first leaves at once; what repeats it within
 * the window leaves once, at the window's end, so that the last one is never swallowed.
 */
export type Coalescer<Message> = { send(key: string, message: Message): void }

export function createCoalescer<Message>(
  windowMs: number,
  send: (message: Message) => void,
): Coalescer<Message> {
  /** What was sent in this window, and what came again since. */
  const recent = new Map<string, Message | null>()
  let waiting = false

  const wait = () => {
    if (waiting) return
    waiting = true
    setTimeout(endWindow, windowMs)
  }

  const endWindow = () => {
    waiting = false
    for (const [key, again] of recent) {
      if (again === null) recent.delete(key)
      else {
        recent.set(key, null)
        send(again)
      }
    }
    if (recent.size > 0) wait()
  }

  return {
    send(key, message) {
      if (recent.has(key)) {
        recent.set(key, message)
        return
      }
      recent.set(key, null)
      wait()
      send(message)
    },
  }
}
