/**
 * Buchungsstapel in the DATEV format: EXTF 700, category 21, version 13. Each posting is one line with account and
 * contra account. Windows-1252, semicolons, CRLF, decimal commas. No side effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import { formatDecimal, money } from '../../../kernel/money.ts'
import type { Row } from './columns.ts'
import type { DatevSettings } from './journal-settings.ts'

const numbered = (count: number, names: (number: number) => readonly string[]) =>
  Array.from({ length: count }, (_, index) => names(index + 1)).flat()

/** The names are defined by DATEV. `Zusatzinformation- Inhalt` really has no space before the hyphen. */
// biome-ignore format: one group of fields per line.
export const datevColumns: readonly string[] = [
  'Umsatz (ohne Soll/Haben-Kz)', 'Soll/Haben-Kennzeichen', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz', 'WKZ Basis-Umsatz',
  'Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum', 'Belegfeld 1', 'Belegfeld 2', 'Skonto',
  'Buchungstext', 'Postensperre', 'Diverse Adressnummer', 'Geschäftspartnerbank', 'Sachverhalt', 'Zinssperre', 'Beleglink',
  ...numbered(8, (number) => [`Beleginfo - Art ${number}`, `Beleginfo - Inhalt ${number}`]),
  'KOST1 - Kostenstelle', 'KOST2 - Kostenstelle', 'Kost-Menge', 'EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung)', 'Abw. Versteuerungsart', 'Sachverhalt L+L', 'Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp', 'BU 49 Hauptfunktionsnummer', 'BU 49 Funktionsergänzung',
  ...numbered(20, (number) => [`Zusatzinformation - Art ${number}`, `Zusatzinformation- Inhalt ${number}`]),
  'Stück', 'Gewicht', 'Zahlweise', 'Forderungsart', 'Veranlagungsjahr', 'Zugeordnete Fälligkeit', 'Skontotyp',
  'Auftragsnummer', 'Buchungstyp', 'USt-Schlüssel (Anzahlungen)', 'EU-Land (Anzahlungen)',
  'Sachverhalt L+L (Anzahlungen)', 'EU-Steuersatz (Anzahlungen)', 'Erlöskonto (Anzahlungen)', 'Herkunft-Kz',
  'Buchungs GUID', 'KOST-Datum', 'SEPA-Mandatsreferenz', 'Skontosperre', 'Gesellschaftername', 'Beteiligtennummer',
  'Identifikationsnummer', 'Zeichnernummer', 'Postensperre bis', 'Bezeichnung SoBil-Sachverhalt',
  'Kennzeichen SoBil-Buchung', 'Festschreibung', 'Leistungsdatum', 'Datum Zuord. Steuerperiode', 'Fälligkeit',
  'Generalumkehr (GU)', 'Steuersatz', 'Land', 'Abrechnungsreferenz', 'BVV-Position', 'EU-Land u. UStID (Ursprung)',
  'EU-Steuersatz (Ursprung)', 'Abw. Skontokonto',
]
const festschreibung = datevColumns.indexOf('Festschreibung')

export type DatevFile = {
  readonly settings: DatevSettings
  readonly fromOn: string
  readonly toOn: string
  readonly createdAt: Date
  /** With the columns of `datevJournal`. */
  readonly rows: readonly Row[]
}

export function encodeDatevFile(file: DatevFile): Uint8Array {
  const lines = [headerOf(file), datevColumns.join(';'), ...file.rows.map(lineOf)]
  // All characters that we write are the same in ISO 8859-1 and Windows-1252.
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
}

const text = (value: string) => `"${value.replaceAll('"', '""')}"`
const digits = (day: string) => day.replaceAll('-', '')

function headerOf({ settings, fromOn, toOn, createdAt }: DatevFile): string {
  // biome-ignore format: one group of fields per line.
  return [
    text('EXTF'), 700, 21, text('Buchungsstapel'), 13,
    // Created at, imported at, origin, exported by, imported by.
    createdAt.toISOString().replaceAll(/\D/g, ''), '', text('SY'), text('Switchyard'), text(''),
    settings.consultant_number, settings.client_number,
    digits(fiscalYearStartOf(settings, fromOn)), settings.account_length, digits(fromOn), digits(toOn),
    // Name, initials, financial accounting, no special purpose, not committed, currency.
    text(`Switchyard ${fromOn.slice(0, 7)}`), text(''), 1, 0, 0, text('EUR'),
    // Reserved, derivative flag, reserved, chart of accounts, industry, reserved, application.
    '', text(''), '', '', text(''), '', '', '', text(''),
  ].join(';')
}

function lineOf([date, postingId, act, debitNumber, creditNumber, currency, amount]: Row): string {
  const fields: string[] = datevColumns.map(() => '')
  const [, month, day] = String(date).split('-')
  fields[0] = amountOf(amount as bigint, currency as Currency)
  // The account is debited, the contra account is credited.
  fields[1] = text('S')
  fields[2] = text(String(currency).toUpperCase())
  fields[6] = String(debitNumber)
  fields[7] = String(creditNumber)
  fields[9] = `${day}${month}`
  // At most 36 characters, without underscores.
  fields[10] = text(String(postingId).slice(-26))
  fields[13] = text(String(act).replaceAll('_', ' ').slice(0, 60))
  fields[festschreibung] = '0'
  return fields.join(';')
}

/** Always two decimal places, even for currencies that have none. */
function amountOf(amount: bigint, currency: Currency): string {
  const [whole, fraction = ''] = formatDecimal(money(amount, currency)).split('.')
  return `${whole},${fraction.padEnd(2, '0')}`
}

/** The first day of the fiscal year that contains a day. */
export function fiscalYearStartOf({ fiscal_year_start: start }: DatevSettings, day: string): string {
  const year = Number(day.slice(0, 4))
  return day.slice(5) >= start ? `${year}-${start}` : `${year - 1}-${start}`
}
