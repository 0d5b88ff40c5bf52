/**
 * Coalesces repeated messages. The first is sent immediately; repeats within the window are sent once, at the
 * end of the window, so that the last one is never lost.
 */
export type Coalescer<Message> = { send(key: string, message: Message): void }

export function createCoalescer<Message>(
  windowMs: number,
  send: (message: Message) => void,
): Coalescer<Message> {
  /** The keys sent in this window, with the latest repeat of each. */
  const recent = new Map<string, Message | null>()
  let isWindowOpen = false

  const openWindow = () => {
    if (isWindowOpen) return
    isWindowOpen = true
    setTimeout(endWindow, windowMs)
  }

  const endWindow = () => {
    isWindowOpen = false
    for (const [key, repeat] of recent) {
      if (repeat === null) recent.delete(key)
      else {
        recent.set(key, null)
        send(repeat)
      }
    }
    if (recent.size > 0) openWindow()
  }

  return {
    send(key, message) {
      if (recent.has(key)) {
        recent.set(key, message)
        return
      }
      recent.set(key, null)
      openWindow()
      send(message)
    },
  }
}
