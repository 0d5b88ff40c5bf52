/**
 * Makes one of many: pieces of a work that come at the same time and belong to one workspace are handled
 * together, where the work knows how. Each piece is still answered for by itself, so that nothing outside
 * knows the difference: if the whole fails, every piece is tried alone, and only what is at fault fails.
 */
import type { Ref } from '../../kernel/id.ts'
import type { Work } from './work.ts'

/** How many are handled together at most. More make a transaction longer, and save little. */
const most = 100
/** How many lots are handled at a time: while the database is busy with some, others fill up. */
const lotsAtOnce = 4

type Piece<Deps> = {
  readonly deps: Deps
  readonly ref: Ref
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** The same work, whose `handle` waits for others to join it. Work that cannot be joined stays as it is. */
export function gathered<Deps>(work: Work<Deps>): Work<Deps> {
  if (work.handleMany === undefined) return work
  const gatherer = new Gatherer(work, work.handleMany.bind(work))
  return { ...work, due: work.due.bind(work), handle: (deps, ref) => gatherer.add(deps, ref) }
}

class Gatherer<Deps> {
  readonly #work: Work<Deps>
  readonly #handleMany: NonNullable<Work<Deps>['handleMany']>
  /** By workspace, in the order of their first piece. */
  readonly #waiting = new Map<string, Piece<Deps>[]>()
  #running = 0
  #isCalled = false

  constructor(work: Work<Deps>, handleMany: NonNullable<Work<Deps>['handleMany']>) {
    this.#work = work
    this.#handleMany = handleMany
  }

  add(deps: Deps, ref: Ref): Promise<void> {
    return new Promise((done, failed) => {
      const lot = this.#waiting.get(ref.workspaceId)
      const piece = { deps, ref, done, failed }
      if (lot === undefined) this.#waiting.set(ref.workspaceId, [piece])
      else lot.push(piece)
      this.#callSoon()
    })
  }

  /** After what has arrived by now was read: messages come in bursts. */
  #callSoon(): void {
    if (this.#isCalled) return
    this.#isCalled = true
    setImmediate(() => {
      this.#isCalled = false
      while (this.#running < lotsAtOnce && this.#waiting.size > 0) void this.#run(this.#next())
    })
  }

  #next(): readonly Piece<Deps>[] {
    const [workspaceId, lot] = this.#waiting.entries().next().value as [string, Piece<Deps>[]]
    this.#waiting.delete(workspaceId)
    const taken = lot.splice(0, most)
    // Whoever has more queues up again, behind the others.
    if (lot.length > 0) this.#waiting.set(workspaceId, lot)
    return taken
  }

  async #run(pieces: readonly Piece<Deps>[]): Promise<void> {
    this.#running += 1
    const [{ deps }] = pieces as [Piece<Deps>]
    const refs = pieces.map(({ ref }) => ref)
    await (pieces.length === 1
      ? this.#alone(pieces)
      : this.#handleMany(deps, refs).then(
          () => {
            for (const { done } of pieces) done()
          },
          () => this.#alone(pieces),
        ))
    this.#running -= 1
    this.#callSoon()
  }

  async #alone(pieces: readonly Piece<Deps>[]): Promise<void> {
    for (const { deps, ref, done, failed } of pieces) await this.#work.handle(deps, ref).then(done, failed)
  }
}
