/** `verify`: whether a webhook is what Switchyard sent, and if not, why. It calls nobody. */
import { readFileSync } from 'node:fs'
import { verifyWebhook, WebhookVerificationError } from '@switchyard/sdk'
import type { Command } from 'commander'
import { collected, declare, wholeNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { environment } from '../environment.ts'
import { CliError } from '../exit.ts'
import { styled } from '../output.ts'
import { askSecret, isInteractive, readStandardInput } from '../prompt.ts'

type VerifyOptions = {
  readonly header?: readonly string[]
  readonly body: string
  readonly secret?: string
  readonly tolerance: number
}

export function verifyCommand(program: Command): void {
  declare<VerifyOptions>(program, 'verify', 'Say whether a webhook is genuine, and if not, why', verify)
    .option('-H, --header <name: value>', 'a header as it came; once for each', collected)
    .option('--body <file>', 'the body as it came; - for standard input', '-')
    .option(
      '--secret <secret>',
      'the secret of the endpoint; without it SWITCHYARD_WEBHOOK_SECRET, or you are asked',
    )
    .option('--tolerance <seconds>', 'how old it may be; 0 for any age', wholeNumber(0), 0)
}

async function verify({ output, signal }: Context, options: VerifyOptions): Promise<void> {
  const headers = Object.fromEntries((options.header ?? []).map(headerOf))
  const body = options.body === '-' ? await readStandardInput() : readBody(options.body)
  const secret =
    options.secret ?? environment.SWITCHYARD_WEBHOOK_SECRET ?? (await askForSecret(options, signal))
  const webhook = { headers, secret, toleranceSeconds: options.tolerance }
  try {
    const event = await verifyWebhook({ ...webhook, body })
    output.result(
      { valid: true, event_id: event.id, type: event.type },
      () => `${styled('green', 'Valid.')} ${event.type}  ${event.id}`,
    )
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    const hint = await hintFor({ ...webhook, body })
    throw new CliError('failed', `${error.message} (${error.reason})`, hint)
  }
}

type Given = { readonly body: string; readonly headers: Record<string, string>; readonly secret: string }

/** What pasting does most often: a line end behind the body, or one that was put into its lines. */
async function hintFor({ body, ...rest }: Given): Promise<string | null> {
  const trimmed = body.trim()
  if (trimmed === body) return null
  const isRight = await verifyWebhook({ ...rest, body: trimmed, toleranceSeconds: 0 }).then(
    () => true,
    () => false,
  )
  return isRight ? 'Without the space around the body it is valid: pass it on exactly as it came.' : null
}

function headerOf(text: string): [name: string, value: string] {
  const colon = text.indexOf(':')
  if (colon < 1)
    throw new CliError('usage', `"${text}" is not a header.`, "Such as -H 'signature-digest: t=1,v1=2'")
  return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()]
}

function readBody(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('failed', `The body cannot be read: ${(error as Error).message}`)
  }
}

async function askForSecret({ body }: VerifyOptions, signal: AbortSignal): Promise<string> {
  if (body === '-' || !isInteractive())
    throw new CliError('usage', 'No secret was given.', 'Set SWITCHYARD_WEBHOOK_SECRET, or add --secret.')
  return askSecret('Secret: ', signal)
}
