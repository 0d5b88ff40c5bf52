import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startNats } from '../../../../scripts/services/nats.ts'
import { freePort } from '../../../../scripts/services/ports.ts'
import { type Id, idFromUuid, idMaker, randomSlot } from '../../src/kernel/id.ts'
import { connectEngine, type Engine } from '../../src/platform/engine/engine.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { until } from './support/wait.ts'

const [workspaceId, otherWorkspaceId] = [newWorkspaceId(), newWorkspaceId()]

function newWorkspaceId(): Id<'workspace'> {
  return idFromUuid('workspace', 'test', idMaker(new Date(), randomSlot())())
}

/** A separate engine connection, as another process would have. */
function connectTestEngine(natsUrl: string | null): Engine {
  const engine = connectEngine({ natsUrl, log: createLog('silent'), metrics: createMetrics() })
  onTestFinished(() => engine.close())
  return engine
}

function countAnnouncements({ announcements }: Engine) {
  const received = { count: 0, stop: () => {} }
  received.stop = announcements.listen(workspaceId, () => {
    received.count += 1
  })
  return received
}

const areConnected = (engines: readonly Engine[]) => () =>
  engines.every((engine) => engine.unavailableForMs() === 0)

/** Announces repeatedly, because an announcement is lost if NATS has not processed the subscription yet. */
async function waitUntilReceived(from: Engine, received: { readonly count: number }): Promise<void> {
  const before = received.count
  await until('the announcement arrives', () => {
    from.announcements.announce(workspaceId)
    return received.count > before
  })
}

test('a process receives the announcements of another process, even after a NATS outage', {
  timeout: 30_000,
}, async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
  onTestFinished(() => rmSync(storeDir, { recursive: true, force: true }))
  const nats = await startNats({ storeDir })
  const [listener, announcer] = [connectTestEngine(nats.url), connectTestEngine(nats.url)]
  const received = countAnnouncements(listener)
  await until('both are connected', areConnected([listener, announcer]))
  await waitUntilReceived(announcer, received)

  await nats.stop()
  await until(
    'both are disconnected',
    () => listener.unavailableForMs() > 0 && announcer.unavailableForMs() > 0,
  )
  const countBefore = received.count
  listener.announcements.announce(workspaceId)
  expect(received.count).toBe(countBefore + 1)

  const restarted = await startNats({ storeDir, port: nats.port })
  onTestFinished(() => restarted.stop())
  await until('both are connected again', areConnected([listener, announcer]), { withinMs: 15_000 })
  await waitUntilReceived(announcer, received)
})

test('a process that subscribed before NATS was available is notified when it connects', {
  timeout: 30_000,
}, async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
  onTestFinished(() => rmSync(storeDir, { recursive: true, force: true }))
  const port = await freePort()
  const engine = connectTestEngine(`nats://127.0.0.1:${port}`)
  const received = countAnnouncements(engine)

  const nats = await startNats({ storeDir, port })
  onTestFinished(() => nats.stop())

  await until('it is notified', () => received.count > 0, { withinMs: 15_000 })
})

test('without NATS a process receives its own announcements, until it unsubscribes', () => {
  const engine = connectTestEngine(null)
  const [stopped, active] = [countAnnouncements(engine), countAnnouncements(engine)]

  engine.announcements.announce(otherWorkspaceId)
  engine.announcements.announce(workspaceId)
  stopped.stop()
  engine.announcements.announce(workspaceId)

  expect([stopped.count, active.count]).toEqual([1, 2])
})
