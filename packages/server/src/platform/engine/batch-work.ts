/**
 * Batches work: concurrent work items of one type and workspace are handled together if the work type
 * supports it. Each item still has its own result, so callers see no difference: if the batch fails, every
 * item is retried alone, and only the faulty ones fail.
 */
import type { Ref } from '../../kernel/id.ts'
import type { WorkType } from './work.ts'

/** The maximum batch size. Larger batches make transactions longer and save little. */
const maxBatchSize = 100
/** How many batches are handled concurrently: while the database is busy with some, others fill up. */
const concurrentBatches = 4

type BatchItem<Deps> = {
  readonly deps: Deps
  readonly ref: Ref
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The same work type, with a `handle` that batches. A work type without `handleMany` is returned unchanged.
 */
export function withBatching<Deps>(work: WorkType<Deps>): WorkType<Deps> {
  if (work.handleMany === undefined) return work
  const batcher = new WorkBatcher(work, work.handleMany.bind(work))
  return { ...work, due: work.due.bind(work), handle: (deps, ref) => batcher.add(deps, ref) }
}

class WorkBatcher<Deps> {
  readonly #work: WorkType<Deps>
  readonly #handleMany: NonNullable<WorkType<Deps>['handleMany']>
  /** By workspace, in the order of their first item. */
  readonly #waiting = new Map<string, BatchItem<Deps>[]>()
  #running = 0
  #isScheduled = false

  constructor(work: WorkType<Deps>, handleMany: NonNullable<WorkType<Deps>['handleMany']>) {
    this.#work = work
    this.#handleMany = handleMany
  }

  add(deps: Deps, ref: Ref): Promise<void> {
    return new Promise((resolve, reject) => {
      const batch = this.#waiting.get(ref.workspaceId)
      const item = { deps, ref, resolve, reject }
      if (batch === undefined) this.#waiting.set(ref.workspaceId, [item])
      else batch.push(item)
      this.#scheduleBatches()
    })
  }

  /** Waits until all messages that have already arrived have been read, because messages come in bursts. */
  #scheduleBatches(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#running < concurrentBatches && this.#waiting.size > 0)
        void this.#run(this.#takeNextBatch())
    })
  }

  #takeNextBatch(): readonly BatchItem<Deps>[] {
    const [workspaceId, batch] = this.#waiting.entries().next().value as [string, BatchItem<Deps>[]]
    this.#waiting.delete(workspaceId)
    const items = batch.splice(0, maxBatchSize)
    // A workspace with more items goes to the end of the queue.
    if (batch.length > 0) this.#waiting.set(workspaceId, batch)
    return items
  }

  async #run(items: readonly BatchItem<Deps>[]): Promise<void> {
    this.#running += 1
    const [{ deps }] = items as [BatchItem<Deps>]
    const refs = items.map(({ ref }) => ref)
    await (items.length === 1
      ? this.#handleOneByOne(items)
      : this.#handleMany(deps, refs).then(
          () => {
            for (const { resolve } of items) resolve()
          },
          () => this.#handleOneByOne(items),
        ))
    this.#running -= 1
    this.#scheduleBatches()
  }

  async #handleOneByOne(items: readonly BatchItem<Deps>[]): Promise<void> {
    for (const { deps, ref, resolve, reject } of items)
      await this.#work.handle(deps, ref).then(resolve, reject)
  }
}
