/** Entry of the one-file script: a `<script src="newsletter-signup.js">` is all a page needs. */
import './define.ts';
import './mount.ts';
