import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startNats } from '../../../../scripts/services/nats.ts'
import { freePort } from '../../../../scripts/services/ports.ts'
import { drawSlot, type Id, idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { connectEngine, type Engine } from '../../src/platform/engine/engine.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { until } from './support/wait.ts'

const [ours, theirs] = [aWorkspace(), aWorkspace()]

function aWorkspace(): Id<'workspace'> {
  return idFromUuid('workspace', 'test', idMaker(new Date(), drawSlot())())
}

/** As two processes have one each. */
function engineAt(natsUrl: string | null): Engine {
  const engine = connectEngine({ natsUrl, log: createLog('silent'), metrics: createMetrics() })
  onTestFinished(() => engine.close())
  return engine
}

function countWakes({ announcements }: Engine) {
  const heard = { count: 0, stop: () => {} }
  heard.stop = announcements.listen(ours, () => {
    heard.count += 1
  })
  return heard
}

const areConnected = (engines: readonly Engine[]) => () => engines.every((engine) => engine.awayForMs() === 0)

/** What is said before the server knows who listens is heard by nobody, so it is said again. */
async function untilHeard(from: Engine, heard: { readonly count: number }): Promise<void> {
  const before = heard.count
  await until('a process hears the other', () => {
    from.announcements.announce(ours)
    return heard.count > before
  })
}

test('a process hears what another announces, also after NATS was away', { timeout: 30_000 }, async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
  onTestFinished(() => rmSync(storeDir, { recursive: true, force: true }))
  const nats = await startNats({ storeDir })
  const [here, there] = [engineAt(nats.url), engineAt(nats.url)]
  const heard = countWakes(here)
  await until('both are connected', areConnected([here, there]))
  await untilHeard(there, heard)

  await nats.stop()
  await until('NATS is missed', () => here.awayForMs() > 0 && there.awayForMs() > 0)
  const alone = heard.count
  here.announcements.announce(ours)
  expect(heard.count).toBe(alone + 1)

  const again = await startNats({ storeDir, port: nats.port })
  onTestFinished(() => again.stop())
  await until('both are back', areConnected([here, there]), { withinMs: 15_000 })
  await untilHeard(there, heard)
})

test('a process that connects later is told to look', { timeout: 30_000 }, async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
  onTestFinished(() => rmSync(storeDir, { recursive: true, force: true }))
  const port = await freePort()
  const engine = engineAt(`nats://127.0.0.1:${port}`)
  const heard = countWakes(engine)

  const nats = await startNats({ storeDir, port })
  onTestFinished(() => nats.stop())

  await until('it is told', () => heard.count > 0, { withinMs: 15_000 })
})

test('without NATS a process hears itself, until it stops listening', () => {
  const engine = engineAt(null)
  const [one, other] = [countWakes(engine), countWakes(engine)]

  engine.announcements.announce(theirs)
  engine.announcements.announce(ours)
  one.stop()
  engine.announcements.announce(ours)

  expect([one.count, other.count]).toEqual([1, 2])
})
