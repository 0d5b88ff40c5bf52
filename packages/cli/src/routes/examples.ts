/** The examples of a route: whether each ends where the file says, and where it goes by what is published. */
import type { PaymentRouteLint, Switchyard } from '@switchyard/sdk'
import { styled } from '../output.ts'
import type { RouteFile } from './file.ts'

export type Example = {
  readonly name: string
  readonly passes: boolean
  /** Why it does not pass. */
  readonly detail: string | null
  /** Where it goes today: an account, or how it ends. Null while nothing is published. */
  readonly published: string | null
}

export async function examplesOf(
  client: Switchyard,
  { id, definition }: RouteFile,
  findings: PaymentRouteLint['findings'],
): Promise<Example[]> {
  const route = id === null ? null : await client.paymentRoutes.get(id)
  const revision = route?.revision ?? null
  const examples: Example[] = []
  for (const [place, { name, payment }] of (definition.examples ?? []).entries()) {
    const failure = findings.find(
      ({ code, pointer }) => code === 'example_failed' && pointer.startsWith(`/examples/${place}`),
    )
    const published =
      route === null || revision === null ? null : await endOf(client, route.id, revision, payment)
    examples.push({ name, passes: failure === undefined, detail: failure?.detail ?? null, published })
  }
  return examples
}

async function endOf(
  client: Switchyard,
  id: string,
  revision: number,
  payment: Record<string, string | number>,
): Promise<string> {
  const simulated = await client.paymentRoutes.simulate(id, { revision, operands: payment as never })
  return simulated.provider_account_id ?? simulated.end
}

export function exampleWords(examples: readonly Example[]): string {
  if (examples.length === 0) return 'The file has no examples.'
  return examples
    .map(({ name, passes, detail, published }) => {
      const verdict = passes ? styled('green', 'ok  ') : styled('red', 'FAIL')
      const today = published === null ? '' : `  (today: ${published})`
      return `${verdict}  ${name}${today}${detail === null ? '' : `\n      ${detail}`}`
    })
    .join('\n')
}
