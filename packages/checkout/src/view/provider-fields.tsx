/** The card fields of a provider or vault. The component renders them in frames, which this page cannot read. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CardEntry, Sale } from '../api.ts'
import type { CardFields } from '../fields/mount.ts'
import { currentLocale, translate } from '../translations.ts'

type Props = {
  sale: Sale
  entry: CardEntry
  amount: number
  /** Set while the fields are ready. */
  mounted: RefObject<CardFields | null>
  onFailure: () => void
}

export function ProviderFields({ sale, entry, amount, mounted, onFailure }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const loading = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
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
      loading.current?.remove()
      mounted.current = fields
    }
    mount().catch(() => isGone || onFailure())
    return () => {
      isGone = true
      mounted.current?.destroy()
      mounted.current = null
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
