/**
 * Runs in the worker thread that platform/thread.ts starts: computations that would block the event loop for
 * too long.
 */
import { parentPort } from 'node:worker_threads'
import { lint } from './domains/routing/payment-routes/lint/lint.ts'
import type { ThreadCall, ThreadReply } from './platform/thread.ts'

const tasks: { readonly [name: string]: (...args: never[]) => unknown } = { lint }

parentPort?.on('message', ({ name, args }: ThreadCall) => {
  const reply: ThreadReply = { isThreadReply: true, result: tasks[name]?.(...(args as never[])) }
  parentPort?.postMessage(reply)
})
