import { expect, onTestFinished, test } from 'vitest'
import { ok, startRawServer } from '../../../test/support/raw-server.ts'
import { addressRules } from './address.ts'
import { outboundSecureContext } from './connect.ts'
import { OutboundConnection } from './connection.ts'
import { nameServerLookup } from './lookup.ts'
import { type PoolLimits, Pools } from './pools.ts'

async function poolsWith(limits: PoolLimits) {
  const closed: number[] = []
  const rawServer = await startRawServer((socket) => {
    const nth = rawServer.connections
    socket.on('close', () => closed.push(nth))
    socket.write(ok)
  })
  const pools = new Pools(limits)
  onTestFinished(() => pools.close())
  const origin = `http://127.0.0.1:${rawServer.port}`
  const context = {
    statusOf: addressRules({ allowCidrs: [], allowLoopback: true }),
    simulator: null,
    lookup: nameServerLookup(),
    secureContext: outboundSecureContext(undefined),
  }
  const poolOf = (key: string) =>
    pools.of(key, origin, () => new OutboundConnection(context, { origin, mode: 'test' }))
  /** Opens a connection; the returned function releases it. */
  const use = async (key: string) => {
    const pool = poolOf(key)
    const connection = pool.take(1)
    if (connection === null) throw new Error('There is no connection left.')
    await connection.send({ method: 'POST', path: '/', headers: {}, body: '{}', maxResponseBytes: 10 })
      .outcome
    return () => pool.release(connection)
  }
  return { pools, use, closed }
}

test('above the limit, the pool that has been idle longest is dropped with its connections', async () => {
  const { pools, use, closed } = await poolsWith({ maxPools: 2, idleMs: 60_000, sweepMs: 60_000 })
  const releaseFirst = await use('first')
  ;(await use('second'))()
  ;(await use('third'))()

  // The first is in use, so the second is dropped.
  expect(pools.size).toBe(2)
  await expect.poll(() => closed).toEqual([2])

  releaseFirst()
  ;(await use('third'))()
  ;(await use('fourth'))()
  await expect.poll(() => closed).toEqual([2, 1])
})

test('pools that have not been used for a while are dropped, and those in use are not', async () => {
  const { pools, use, closed } = await poolsWith({ maxPools: 9, idleMs: 50, sweepMs: 10 })
  const release = await use('busy')
  ;(await use('idle'))()

  await expect.poll(() => closed).toEqual([2])
  expect(pools.size).toBe(1)

  release()
  await expect.poll(() => pools.size).toBe(0)
  await expect.poll(() => closed).toEqual([2, 1])
})
