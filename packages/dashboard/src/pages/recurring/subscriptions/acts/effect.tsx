/**
 * An action that shows its effect first. What the server previews is on screen before the button can be used, and
 * the button sends the token of just that preview: what was shown is done, or nothing is.
 */
import type { PreviewSubscription, Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { type ReactNode, useState } from 'react'
import { useObject, useReread } from '../../../../api/queries.ts'
import { useApi, useMay } from '../../../../api/workspace.tsx'
import type { ApiCall } from '../../../../format/call.ts'
import { moneyText } from '../../../../format/money.ts'
import { ActionDialog } from '../../../../ui/action.tsx'
import { useQuiet } from '../../../../ui/quiet.ts'
import { ErrorPanel, Skeleton } from '../../../../ui/states.tsx'
import { Money } from '../../../../ui/values.tsx'
import { chargedNow, effectOf } from './effect-words.ts'

type Act = 'update' | 'pause' | 'resume' | 'cancel'

export type EffectDialogProps = {
  subscription: Subscription
  act: Act
  title: string
  submit: string
  danger?: boolean
  /** What the form asks for, without the token. */
  body: Omit<PreviewSubscription, 'action'>
  done: string
  close: () => void
  children?: ReactNode
}

export function EffectDialog(props: EffectDialogProps) {
  const { subscription, act, body, close } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [tries, setTries] = useState(0)
  const asked = useQuiet(body)
  const isSettled = JSON.stringify(asked) === JSON.stringify(body)
  const found = useObject(['preview', 'of', subscription.id, act, asked, tries], (from) =>
    from.subscriptions.preview(subscription.id, { action: act, ...asked }),
  )
  const preview = found.isPlaceholderData || !isSettled ? undefined : found.data
  const send = async (key: { idempotencyKey: string }) => {
    const token = preview?.preview_token ?? undefined
    const sent = { ...body, ...(token === undefined ? {} : { preview_token: token }) }
    try {
      // The members that an action does not know are never set by its form.
      await api.subscriptions[act](subscription.id, sent as never, key)
    } catch (error) {
      // What was shown holds no more, perhaps: the next click has to be for what is shown then.
      setTries((before) => before + 1)
      throw error
    }
    await reread('subscription', 'invoice', 'dunning_campaign', 'event')
  }
  const charge = preview === undefined ? null : chargedNow(preview)
  const submit =
    charge === null ? props.submit : `${props.submit}, charge ${moneyText(charge.amount, charge.currency)}`
  return (
    <ActionDialog
      title={props.title}
      submit={submit}
      danger={props.danger ?? false}
      refused={may(`subscriptions.${act}`) ?? waitingFor(preview, found.error)}
      call={callOf(subscription.id, act, body)}
      run={send}
      done={props.done}
      onDone={close}
      onCancel={close}
    >
      {props.children}
      <Effect before={subscription} preview={preview} error={isSettled ? found.error : null} />
    </ActionDialog>
  )
}

function waitingFor(preview: SubscriptionPreview | undefined, error: Error | null): string | null {
  if (error !== null) return 'The preview says why it cannot be done.'
  return preview === undefined ? 'The effect is being computed.' : null
}

function callOf(id: string, act: Act, body: object): ApiCall {
  const path = act === 'update' ? `/subscriptions/${id}` : `/subscriptions/${id}/${act}`
  return { method: 'PUT', path, body, sdk: { method: `subscriptions.${act}`, args: [id, body] } }
}

export function Effect(props: {
  before: Subscription | null
  preview: SubscriptionPreview | undefined
  error: Error | null
}) {
  const { before, preview, error } = props
  if (error !== null) return <ErrorPanel error={error} />
  if (preview === undefined) return <Skeleton rows={2} />
  const lines = [...preview.invoices.flatMap((invoice) => invoice.lines), ...preview.pending_lines]
  return (
    <section
      aria-label="What will happen"
      className="grid gap-2 rounded-control bg-sunken p-3"
      aria-live="polite"
    >
      <h3 className="font-bold">What will happen</h3>
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
