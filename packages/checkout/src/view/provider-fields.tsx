/** The card fields of a provider or vault. The component draws them in frames, which this page cannot read. */
import { useEffect, useRef } from 'preact/hooks'
import type { CardEntry, Sale } from '../api.ts'
import type { CardFields } from '../fields/mount.ts'
import { currentLocale, translate } from '../translations.ts'

type Props = {
  sale: Sale
  entry: CardEntry
  amount: number
  onReady: (fields: CardFields | null) => void
  onFailure: () => void
}

export function ProviderFields({ sale, entry, amount, onReady, onFailure }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const loading = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    let mounted: CardFields | null = null
    let isGone = false
    const mount = async () => {
      const { mountFields } = await import('../fields/mount.ts')
      const options = {
        config: entry.config,
        amount,
        currency: sale.currency,
        savesCard: sale.checkout_mode !== 'payment',
        locale: currentLocale(),
      }
      const fields = await mountFields(entry, place.current as HTMLDivElement, options)
      if (isGone) return fields.destroy()
      mounted = fields
      loading.current?.remove()
      onReady(fields)
    }
    mount().catch(() => isGone || onFailure())
    return () => {
      isGone = true
      onReady(null)
      mounted?.destroy()
    }
  }, [entry.provider_account_id])
  return (
    <fieldset class="plain">
      <legend class="unseen">{translate('card')}</legend>
      <p ref={loading} class="hint" role="status">
        {translate('fields_loading')}
      </p>
      <div ref={place} id="card-fields" class="card-fields" />
    </fieldset>
  )
}
