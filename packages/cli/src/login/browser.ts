/** Opens an address in the person's browser. */
import open from 'open';

/** @returns false where there is none that could be started */
export async function openBrowser(url: string): Promise<boolean> {
  try {
    const child = await open(url);
    // Where the opener itself is missing, the system says so only afterwards; the address has been printed anyway.
    child.once('error', () => undefined);
    child.unref();
    return true;
  } catch {
    return false;
  }
}
