/** `verify`: checks the signature of a webhook locally, without network calls. */
import { readFileSync } from 'node:fs'
import { verifyWebhook, WebhookVerificationError } from '@switchyard/sdk'
import type { Command } from 'commander'
import { collect, declare, parseInteger } from '../command.ts'
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
  readonly signatureDigestOnly?: boolean
}

export function verifyCommand(program: Command): void {
  declare<VerifyOptions>(program, 'verify', 'Verify the signature of a webhook', verify)
    .option('-H, --header <name: value>', 'a header as received; repeat for each header', collect)
    .option('--body <file>', 'the file with the body as received; - for standard input', '-')
    .option(
      '--secret <secret>',
      'the secret of the endpoint; default: SWITCHYARD_WEBHOOK_SECRET, or prompt for it',
    )
    .option('--tolerance <seconds>', 'maximum age of the webhook; 0 for any age', parseInteger(0), 0)
    .option('--signature-digest-only', 'do not require the webhook-* headers; this cannot detect a replay')
}

async function verify({ output, signal }: Context, options: VerifyOptions): Promise<void> {
  const headers = Object.fromEntries((options.header ?? []).map(parseHeader))
  const body = options.body === '-' ? await readStandardInput() : readBody(options.body)
  const secret =
    options.secret ?? environment.SWITCHYARD_WEBHOOK_SECRET ?? (await promptForSecret(options, signal))
  const { tolerance: toleranceSeconds, signatureDigestOnly } = options
  const webhook = { headers, secret, toleranceSeconds, signatureDigestOnly }
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

type ReceivedWebhook = {
  readonly body: string
  readonly headers: Record<string, string>
  readonly secret: string
  readonly signatureDigestOnly: boolean | undefined
}

/** Detects common mistakes: only one header was pasted, or a newline was added to the body. */
async function hintFor({ body, ...rest }: ReceivedWebhook): Promise<string | null> {
  if ('signature-digest' in rest.headers && !('webhook-signature' in rest.headers))
    return 'Pass the three webhook-* headers too, or add --signature-digest-only to verify the digest alone.'
  const trimmed = body.trim()
  if (trimmed === body) return null
  const isValidTrimmed = await verifyWebhook({ ...rest, body: trimmed, toleranceSeconds: 0 }).then(
    () => true,
    () => false,
  )
  return isValidTrimmed
    ? 'The signature is valid without the whitespace around the body. Pass the body exactly as received.'
    : null
}

function parseHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(':')
  if (colon < 1)
    throw new CliError('usage', `"${text}" is not a header.`, "For example: -H 'signature-digest: t=1,v1=2'")
  return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()]
}

function readBody(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('failed', `Cannot read the body: ${(error as Error).message}`)
  }
}

async function promptForSecret({ body }: VerifyOptions, signal: AbortSignal): Promise<string> {
  if (body === '-' || !isInteractive())
    throw new CliError('usage', 'No secret was given.', 'Set SWITCHYARD_WEBHOOK_SECRET, or add --secret.')
  return askSecret('Secret: ', signal)
}
