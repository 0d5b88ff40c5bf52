/** Evaluates the examples of a route file: whether each passes, and its result in the published revision. */
import type { PaymentRouteLint, Switchyard } from '@switchyard/sdk'
import { styled } from '../output.ts'
import type { RouteFile } from './file.ts'

export type Example = {
  readonly name: string
  readonly passes: boolean
  /** Why the example fails. */
  readonly detail: string | null
  /**
   * The result in the published revision: an account id, or the reason why no account was selected. Null if
   * nothing is published.
   */
  readonly published: string | null
}

export async function runExamples(
  client: Switchyard,
  { id, definition }: RouteFile,
  findings: PaymentRouteLint['findings'],
): Promise<Example[]> {
  const route = id === null ? null : await client.paymentRoutes.get(id)
  const revision = route?.revision ?? null
  const examples: Example[] = []
  for (const [index, { name, payment }] of (definition.examples ?? []).entries()) {
    const failure = findings.find(
      ({ code, pointer }) => code === 'example_failed' && pointer.startsWith(`/examples/${index}`),
    )
    const published =
      route === null || revision === null ? null : await simulateResult(client, route.id, revision, payment)
    examples.push({ name, passes: failure === undefined, detail: failure?.detail ?? null, published })
  }
  return examples
}

async function simulateResult(
  client: Switchyard,
  id: string,
  revision: number,
  payment: Record<string, string | number>,
): Promise<string> {
  const simulated = await client.paymentRoutes.simulate(id, { revision, operands: payment as never })
  return simulated.provider_account_id ?? simulated.end
}

export function formatExamples(examples: readonly Example[]): string {
  if (examples.length === 0) return 'The file has no examples.'
  return examples
    .map(({ name, passes, detail, published }) => {
      const status = passes ? styled('green', 'ok  ') : styled('red', 'FAIL')
      const current = published === null ? '' : `  (published route: ${published})`
      return `${status}  ${name}${current}${detail === null ? '' : `\n      ${detail}`}`
    })
    .join('\n')
}
