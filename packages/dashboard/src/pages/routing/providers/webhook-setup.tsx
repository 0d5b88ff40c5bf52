/** How to create the webhook at the provider: where, with which URL, and with which events. */
import type { ProviderAccount } from '@switchyard/sdk'
import { CodeBlock } from '../../../ui/code.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { providerNameOf } from './provider-name.tsx'
import { useProvider } from './providers.ts'

export function WebhookSetup({ account }: { account: ProviderAccount }) {
  const provider = useProvider(account.provider)
  if (provider === undefined || provider.webhook.help === null) return null
  if (account.config.emulated === true)
    return (
      <p className="text-ink2">
        {providerNameOf(account)} is part of the simulator. Its webhooks are set up, and no money moves.
      </p>
    )
  const { help, events } = provider.webhook
  return (
    <div className="grid gap-3">
      <p>{help}</p>
      <CodeBlock label="Webhook URL" text={account.webhook_url} />
      {events.length > 0 && <CodeBlock label="Events" text={events.join('\n')} />}
    </div>
  )
}

export function WebhookSetupPanel({ account }: { account: ProviderAccount }) {
  return (
    <Panel title={`Webhook at ${providerNameOf(account)}`}>
      <WebhookSetup account={account} />
    </Panel>
  )
}
