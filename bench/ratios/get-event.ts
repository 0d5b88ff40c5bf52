/** `GET /events/{id}` beside a bare route with the same statement. */
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { type Rounds, takeTurns } from './compare.ts'
import { loadHttp, requestText } from './http-load.ts'
import type { Effort } from './measurement.ts'
import { startScript } from './processes.ts'
import { familyMs, processMs } from './processor.ts'
import type { Stage } from './stage.ts'

export async function measureGetEvent(stage: Stage, effort: Effort): Promise<Rounds> {
  const { port, token, workspace, server, postgres, events, folder } = stage
  const barePort = await freePort()
  const args = [postgres.url, workspace, String(barePort)]
  const bare = await startScript({ folder, name: 'bare-server', script: 'bare-server.ts', args })
  await bare.said('ready')
  const { connections } = effort
  const headers = { authorization: `Bearer ${token}` }
  const get = (ids: readonly string[]) => (turn: number) =>
    requestText({ method: 'GET', path: `/events/${ids[turn % ids.length]}`, headers })
  const texts = events.map((uuid) => idFromUuid('event', 'test', uuid))
  const rounds = await takeTurns({
    variants: [
      {
        name: 'GET /events/{id}',
        run: (forMs) => loadHttp({ port, connections, forMs, request: get(texts) }),
      },
      {
        name: 'bare route',
        run: (forMs) => loadHttp({ port: barePort, connections, forMs, request: get(events) }),
      },
    ],
    ...effort,
    clocks: {
      server: () => processMs(server.pid),
      bare: () => processMs(bare.pid),
      postgres: () => familyMs(postgres.pid),
      generator: () => processMs(process.pid),
    },
  })
  await bare.end('SIGTERM')
  return rounds
}
