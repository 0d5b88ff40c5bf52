declare module 'virtual:locales' {
  /** Every language except English, by language tag. */
  const files: Readonly<Record<string, { readonly url: string; readonly integrity: string }>>
  export default files
}
