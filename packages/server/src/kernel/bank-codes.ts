/** The codes of banks in the United States and the United Kingdom. No side effects. */

/** Whether an ABA routing number has nine digits, a prefix that the Federal Reserve assigns, and a valid check digit. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^(0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)[0-9]{7}$/.test(digits)) return false
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0)
  return sum % 10 === 0
}

/** The six digits of a sort code, which is usually written with dashes, such as 10-88-00. */
export function normalizeSortCode(text: string): string {
  return text.replaceAll(/[ -]/g, '')
}
