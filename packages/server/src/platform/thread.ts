/**
 * A worker thread for computations that would block the event loop for too long. It runs one computation at a
 * time. Callers take turns by key, so a tenant with many computations does not delay other tenants.
 */
import { Worker } from 'node:worker_threads'

// biome-ignore lint/suspicious/noExplicitAny: any pure function may run there.
type Pure = (...args: any[]) => unknown

/** A pure function, by its name in the worker. Arguments and result are copied by structured clone. */
export type ThreadTask<F extends Pure> = { readonly name: string; readonly of?: F }

export type ThreadCall = { readonly name: string; readonly args: readonly unknown[] }

/** The reply of the worker. Node sends messages of its own, such as the imported files when it runs with `--watch`. */
export type ThreadReply = { readonly isThreadReply: true; readonly result: unknown }

export type Thread = {
  run<F extends Pure>(task: ThreadTask<F>, key: string, ...args: Parameters<F>): Promise<ReturnType<F>>
  close(): Promise<void>
}

type QueuedCall = {
  readonly call: ThreadCall
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** The thread starts with the first computation. */
export function createThread(script: URL): Thread {
  const waiting = new Map<string, QueuedCall[]>()
  let worker: Worker | null = null
  let running: QueuedCall | null = null

  const finish = (complete: (call: QueuedCall) => void) => {
    const finished = running
    running = null
    worker?.unref()
    if (finished !== null) complete(finished)
    startNext()
  }

  const start = (): Worker => {
    const started = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: 256 } })
    const onThreadEnd = (error: Error) => {
      if (worker !== started) return
      worker = null
      finish(({ reject }) => reject(error))
    }
    started.on('message', (message: Partial<ThreadReply> | null) => {
      if (message?.isThreadReply === true) finish(({ resolve }) => resolve(message.result as never))
    })
    // A computation that throws ends the thread; the next one gets a new thread.
    started.on('error', onThreadEnd)
    started.on('exit', (code) => onThreadEnd(new Error(`The worker thread exited with code ${code}.`)))
    return started
  }

  const startNext = () => {
    const [next] = waiting
    if (running !== null || next === undefined) return
    const [key, calls] = next
    running = calls.shift() as QueuedCall
    // A Map keeps insertion order: the key moves to the end, behind the other waiting keys.
    waiting.delete(key)
    if (calls.length > 0) waiting.set(key, calls)
    worker ??= start()
    worker.ref()
    try {
      worker.postMessage(running.call)
    } catch (error) {
      // The arguments could not be cloned. The thread did not receive the call, so the next one can run.
      finish(({ reject }) => reject(error as Error))
    }
  }

  return {
    run: ({ name }, key, ...args) =>
      new Promise((resolve, reject) => {
        const calls = waiting.get(key) ?? []
        calls.push({ call: { name, args }, resolve, reject })
        waiting.set(key, calls)
        startNext()
      }),
    async close() {
      const closing = worker
      worker = null
      await closing?.terminate()
    },
  }
}
