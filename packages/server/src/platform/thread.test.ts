import { afterEach, expect, test } from 'vitest'
import { createThread, type ThreadTask } from './thread.ts'

const script = `
  import { parentPort } from 'node:worker_threads'
  const tasks = {
    double: (value) => value * 2,
    fail: () => { throw new Error('It failed.') },
    exit: () => process.exit(7),
  }
  parentPort.on('message', ({ name, args }) => {
    // With --watch, Node sends the imported files on the same channel.
    parentPort.postMessage({ 'watch:import': ['file:///tasks.js'] })
    parentPort.postMessage({ isThreadReply: true, result: tasks[name](...args) })
  })`
const thread = createThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
afterEach(() => thread.close())

const double: ThreadTask<(value: number) => number> = { name: 'double' }
const fail: ThreadTask<() => void> = { name: 'fail' }
const exit: ThreadTask<() => void> = { name: 'exit' }

test('results and errors are returned to the caller', async () => {
  await expect(thread.run(double, 'a', 21)).resolves.toBe(42)
  await expect(thread.run(fail, 'a')).rejects.toThrow('It failed.')
})

test('callers take turns by their key', async () => {
  const order: string[] = []
  const run = async (key: string) => {
    await thread.run(double, key, 1)
    order.push(key)
  }

  await Promise.all([run('a'), run('a'), run('a'), run('b')])

  expect(order).toEqual(['a', 'a', 'b', 'a'])
})

test('when the thread crashes, its computation fails and the next one runs in a new thread', async () => {
  const [interrupted, next] = await Promise.allSettled([thread.run(exit, 'a'), thread.run(double, 'a', 1)])

  expect(interrupted).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('code 7') },
  })
  expect(next).toMatchObject({ status: 'fulfilled', value: 2 })
})

test('a call with arguments that cannot be cloned fails, and the next call succeeds', async () => {
  const [failed, next] = await Promise.allSettled([
    thread.run(double, 'a', (() => 1) as unknown as number),
    thread.run(double, 'a', 1),
  ])

  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'DataCloneError' } })
  expect(next).toMatchObject({ status: 'fulfilled', value: 2 })
})
