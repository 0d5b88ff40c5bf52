/** `POST /payments` beside the same rows by `pg` alone. */
import { type Rounds, takeTurns } from '../ratios/compare.ts'
import { loadHttp } from '../ratios/http-load.ts'
import type { Effort } from '../ratios/measurement.ts'
import type { Stage } from '../ratios/stage.ts'
import { openBarePayer } from './bare-payment.ts'
import type { Shop } from './shop.ts'

export const serviceName = 'POST /payments'
export const bareName = 'pg: payment in two commits'

/** As many as the server has. */
const bareConnections = 16
/** Each connection prepares and plans its first statements; each process compiles what it runs often. */
const warmUpRounds = 3

export async function measureThroughput(stage: Stage, shop: Shop, effort: Effort): Promise<Rounds> {
  const { port, postgres } = stage
  const { request, parties, clocks } = shop
  const { connections, forMs } = effort
  const serve = (ms: number) => loadHttp({ port, connections, forMs: ms, request })
  const bare = await openBarePayer(postgres.url, bareConnections, parties)
  await serve(forMs * warmUpRounds)
  const rounds = await takeTurns({
    variants: [
      { name: serviceName, run: serve },
      { name: bareName, run: bare.load },
    ],
    ...effort,
    clocks,
  })
  await bare.close()
  return rounds
}
