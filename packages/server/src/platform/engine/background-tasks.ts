/**
 * Background tasks that no caller waits for. A task that is running is not started again, and each kind has a
 * concurrency limit.
 */
export class BackgroundTasks {
  readonly #running = new Map<string, Promise<void>>()

  /**
   * Starts tasks that are not running, up to the limit. Returns how many were started. `body` must not throw.
   */
  start<T extends { readonly id: string; readonly workspaceId: string }>(
    kind: { readonly name: string; readonly concurrency: number },
    refs: readonly T[],
    body: (ref: T) => Promise<void>,
  ): number {
    const keyOf = (ref: T) => `${kind.name} ${ref.workspaceId} ${ref.id}`
    const ofKind = [...this.#running.keys()].filter((key) => key.startsWith(`${kind.name} `))
    const freeSlots = kind.concurrency - ofKind.length
    const started = refs.filter((ref) => !this.#running.has(keyOf(ref))).slice(0, freeSlots)
    for (const ref of started) {
      const key = keyOf(ref)
      const running = body(ref).finally(() => this.#running.delete(key))
      this.#running.set(key, running)
    }
    return started.length
  }

  /** Resolves when all running tasks have ended. */
  async finished(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
