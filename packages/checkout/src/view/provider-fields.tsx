/** The card fields of a provider or vault. The component draws them in frames, which this page cannot read. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CardEntry, Sale } from '../api.ts'
import type { Mounted } from '../fields/adapter.ts'
import { mountFields } from '../fields/fields.ts'
import { currentLocale, translate } from '../translations.ts'

type Props = {
  sale: Sale
  entry: CardEntry
  amount: number
  onReady: (fields: Mounted | null) => void
  onFailure: () => void
}

export function ProviderFields({ sale, entry, amount, onReady, onFailure }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    let mounted: Mounted | null = null
    let isGone = false
    const element = place.current as HTMLDivElement
    const { currency } = sale
    const options = { config: entry.config, amount, currency, locale: currentLocale() }
    mountFields(entry, element, options).then(
      (fields) => {
        if (isGone) return fields.destroy()
        mounted = fields
        setReady(true)
        onReady(fields)
      },
      () => !isGone && onFailure(),
    )
    return () => {
      isGone = true
      onReady(null)
      mounted?.destroy()
    }
  }, [entry.provider_account_id])
  return (
    <fieldset class="plain" aria-busy={!isReady}>
      <legend class="unseen">{translate('card')}</legend>
      {!isReady && (
        <p class="hint" role="status">
          {translate('fields_loading')}
        </p>
      )}
      <div ref={place} id="card-fields" class="card-fields" />
    </fieldset>
  )
}
