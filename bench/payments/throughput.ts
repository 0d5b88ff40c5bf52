/** Compares `POST /payments` with writing the same rows with `pg` only. */
import { type Rounds, runInTurns } from '../ratios/compare.ts'
import type { Effort } from '../ratios/effort.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { loadHttp } from '../ratios/http-load.ts'
import { openBarePaymentWriter } from './bare-payment.ts'
import type { TestMerchant } from './merchant.ts'

export const serviceName = 'POST /payments'
export const bareName = 'pg: payment in two commits'

/** The pool size of the server. */
const bareConnections = 16
/** In the first rounds, connections prepare statements and processes compile hot code. */
const warmUpRounds = 3

export async function measureThroughput(
  bench: BenchEnvironment,
  merchant: TestMerchant,
  effort: Effort,
): Promise<Rounds> {
  const { port, postgres } = bench
  const { request, objects, clocks } = merchant
  const { connections, forMs } = effort
  const loadService = (ms: number) => loadHttp({ port, connections, forMs: ms, request })
  const bare = await openBarePaymentWriter(postgres.url, bareConnections, objects)
  await loadService(forMs * warmUpRounds)
  const rounds = await runInTurns({
    variants: [
      { name: serviceName, run: loadService },
      { name: bareName, run: bare.load },
    ],
    ...effort,
    clocks,
  })
  await bare.close()
  return rounds
}
