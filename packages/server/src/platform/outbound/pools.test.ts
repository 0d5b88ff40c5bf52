import { expect, onTestFinished, test } from 'vitest'
import { aStranger, ok } from '../../../test/support/stranger.ts'
import { addressRules } from './address.ts'
import { outboundSecureContext } from './connect.ts'
import { Line } from './line.ts'
import { nameServerLookup } from './lookup.ts'
import { type PoolLimits, Pools } from './pools.ts'

async function poolsWith(limits: PoolLimits) {
  const closed: number[] = []
  const stranger = await aStranger((socket) => {
    const nth = stranger.connections
    socket.on('close', () => closed.push(nth))
    socket.write(ok)
  })
  const pools = new Pools(limits)
  onTestFinished(() => pools.close())
  const origin = `http://127.0.0.1:${stranger.port}`
  const roads = {
    standingOf: addressRules({ allowCidrs: [], allowLoopback: true }),
    lookup: nameServerLookup(),
    secureContext: outboundSecureContext(undefined),
  }
  const of = (key: string) => pools.of(key, origin, () => new Line(roads, origin, 'test'))
  /** Opens a connection; whoever calls has to give it back. */
  const use = async (key: string) => {
    const pool = of(key)
    const line = pool.take(1)
    if (line === null) throw new Error('There is no connection left.')
    await line.send({ method: 'POST', path: '/', headers: {}, body: '{}', maxAnswerBytes: 10 }).outcome
    return () => pool.giveBack(line)
  }
  return { pools, use, closed }
}

test('above the number that is allowed, the pool that was idle longest is dropped with its connections', async () => {
  const { pools, use, closed } = await poolsWith({ maxPools: 2, idleMs: 60_000, sweepMs: 60_000 })
  const giveBackFirst = await use('first')
  ;(await use('second'))()
  ;(await use('third'))()

  // The first is in use, so the second had to go.
  expect(pools.size).toBe(2)
  await expect.poll(() => closed).toEqual([2])

  giveBackFirst()
  ;(await use('third'))()
  ;(await use('fourth'))()
  await expect.poll(() => closed).toEqual([2, 1])
})

test('pools that nobody used for long are dropped, and those in use are not', async () => {
  const { pools, use, closed } = await poolsWith({ maxPools: 9, idleMs: 50, sweepMs: 10 })
  const giveBack = await use('busy')
  ;(await use('idle'))()

  await expect.poll(() => closed).toEqual([2])
  expect(pools.size).toBe(1)

  giveBack()
  await expect.poll(() => pools.size).toBe(0)
  await expect.poll(() => closed).toEqual([2, 1])
})
