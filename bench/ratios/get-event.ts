/** Compares `GET /events/{id}` with a bare route with the same statement. */
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { type Rounds, runInTurns } from './compare.ts'
import type { Effort } from './effort.ts'
import type { BenchEnvironment } from './environment.ts'
import { loadHttp, requestText } from './http-load.ts'
import { startScript } from './processes.ts'
import { processMs, processTreeMs } from './processor.ts'

export async function measureGetEvent(bench: BenchEnvironment, effort: Effort): Promise<Rounds> {
  const { port, token, workspace, server, postgres, events, folder } = bench
  const barePort = await freePort()
  const args = [postgres.url, workspace, String(barePort)]
  const bare = await startScript({ folder, name: 'bare-server', script: 'bare-server.ts', args })
  await bare.waitForOutput('ready')
  const { connections } = effort
  const headers = { authorization: `Bearer ${token}` }
  const get = (ids: readonly string[]) => (nth: number) =>
    requestText({ method: 'GET', path: `/events/${ids[nth % ids.length]}`, headers })
  const texts = events.map((uuid) => idFromUuid('event', 'test', uuid))
  const rounds = await runInTurns({
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
      postgres: () => processTreeMs(postgres.pid),
      generator: () => processMs(process.pid),
    },
  })
  await bare.end('SIGTERM')
  return rounds
}
