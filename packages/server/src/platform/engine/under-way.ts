/** What was begun and nobody waits for. One of the same name is not begun twice, and of a kind never too many. */
export class UnderWay {
  readonly #running = new Map<string, Promise<void>>()

  /** Begins those that are not running, as long as there are hands. Tells how many. `body` must not throw. */
  begin<T extends { readonly id: string; readonly workspaceId: string }>(
    kind: { readonly name: string; readonly hands: number },
    refs: readonly T[],
    body: (ref: T) => Promise<void>,
  ): number {
    const keyOf = (ref: T) => `${kind.name} ${ref.workspaceId} ${ref.id}`
    const ofKind = [...this.#running.keys()].filter((key) => key.startsWith(`${kind.name} `))
    const room = kind.hands - ofKind.length
    const begun = refs.filter((ref) => !this.#running.has(keyOf(ref))).slice(0, room)
    for (const ref of begun) {
      const key = keyOf(ref)
      const running = body(ref).finally(() => this.#running.delete(key))
      this.#running.set(key, running)
    }
    return begun.length
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
