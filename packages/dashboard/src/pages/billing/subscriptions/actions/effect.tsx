/**
 * A dialog that previews its effect. The submit button is enabled once the preview is shown, and sends the token of
 * that preview: the server does exactly what was shown, or nothing.
 */
import type { PreviewSubscription, Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { type ReactNode, useState } from 'react'
import { useInvalidate, useObject } from '../../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../../api/workspace.tsx'
import type { ApiCall } from '../../../../format/call.ts'
import { moneyText } from '../../../../format/money.ts'
import { ActionDialog } from '../../../../ui/action.tsx'
import { useDebounced } from '../../../../ui/debounced.ts'
import { ErrorPanel, Skeleton } from '../../../../ui/states.tsx'
import { Money } from '../../../../ui/values.tsx'
import { chargedNow, effectOf } from './effect-text.ts'

type Action = 'update' | 'pause' | 'resume' | 'cancel'

export type EffectDialogProps = {
  subscription: Subscription
  action: Action
  title: string
  submit: string
  danger?: boolean
  /** The label of the button that closes the dialog without effect. */
  cancelLabel?: string
  /** The request body, without the preview token. */
  body: Omit<PreviewSubscription, 'action'>
  successMessage: string
  close: () => void
  children?: ReactNode
}

export function EffectDialog(props: EffectDialogProps) {
  const { subscription, action, body, close } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [failures, setFailures] = useState(0)
  const debouncedBody = useDebounced(body)
  const isCurrent = JSON.stringify(debouncedBody) === JSON.stringify(body)
  const query = useObject(
    ['preview', 'subscription', subscription.id, action, debouncedBody, failures],
    (client) => client.subscriptions.preview(subscription.id, { action, ...debouncedBody }),
  )
  const preview = query.isPlaceholderData || !isCurrent ? undefined : query.data
  const send = async (key: { idempotencyKey: string }) => {
    const token = preview?.preview_token ?? undefined
    const request = { ...body, ...(token === undefined ? {} : { preview_token: token }) }
    try {
      // The form of an action sets only members that the action accepts.
      await api.subscriptions[action](subscription.id, request as never, key)
    } catch (error) {
      // The preview may be outdated: load a new one before the next submit.
      setFailures((before) => before + 1)
      throw error
    }
    await invalidate('subscription', 'invoice', 'dunning_campaign', 'event')
  }
  const charge = preview === undefined ? null : chargedNow(preview)
  const submit =
    charge === null ? props.submit : `${props.submit}, charge ${moneyText(charge.amount, charge.currency)}`
  return (
    <ActionDialog
      title={props.title}
      submit={submit}
      danger={props.danger ?? false}
      cancelLabel={props.cancelLabel ?? 'Cancel'}
      disabledReason={
        disabledReasonFor(`subscriptions.${action}`) ?? previewDisabledReason(preview, query.error)
      }
      call={callOf(subscription.id, action, body)}
      run={send}
      successMessage={props.successMessage}
      onDone={close}
      onCancel={close}
    >
      {props.children}
      <EffectPreview before={subscription} preview={preview} error={isCurrent ? query.error : null} />
    </ActionDialog>
  )
}

function previewDisabledReason(preview: SubscriptionPreview | undefined, error: Error | null): string | null {
  if (error !== null) return 'The preview shows why this is not possible.'
  return preview === undefined ? 'The preview is loading.' : null
}

function callOf(id: string, action: Action, body: object): ApiCall {
  const path = action === 'update' ? `/subscriptions/${id}` : `/subscriptions/${id}/${action}`
  return { method: 'PUT', path, body, sdk: { method: `subscriptions.${action}`, args: [id, body] } }
}

export function EffectPreview(props: {
  before: Subscription | null
  preview: SubscriptionPreview | undefined
  error: Error | null
}) {
  const { before, preview, error } = props
  if (error !== null) return <ErrorPanel error={error} />
  if (preview === undefined) return <Skeleton rows={2} />
  const lines = [...preview.invoices.flatMap((invoice) => invoice.lines), ...preview.pending_lines]
  return (
    <section aria-label="Preview" className="grid gap-2 rounded-control bg-sunken p-3" aria-live="polite">
      <h3 className="font-bold">Preview</h3>
      <ul className="grid gap-1">
        {effectOf(before, preview).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {lines.length > 0 && (
        <ul className="grid gap-1 border-t border-line pt-2 text-compact">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a preview have no id.
            <li key={index} className="flex justify-between gap-4">
              <span className="text-ink2">{line.explanation.text}</span>
              <Money amount={line.amount} currency={preview.subscription.currency} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
