<?php
/**
 * A plugin that does to pages what caching plugins, themes and hosts do: `?imitate=NAME` chooses one. A request with
 * the header of a proxy that ends TLS is one of https.
 */
if ( ( $_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '' ) === 'https' ) {
	$_SERVER['HTTPS'] = 'on';
}

const CLASSIC_SCRIPT = '~<script(?![^>]*\stype=["\'](?:module|importmap|application))[^>]*?\ssrc=["\']([^"\']+)["\'][^>]*></script>~';

$imitations = array(
	// All scripts in one file, at an address where nothing else lies.
	'combined' => function ( string $html ): string {
		$scripts = '';
		$html    = preg_replace_callback( CLASSIC_SCRIPT, function ( $match ) use ( &$scripts ) {
			// Scripts of other hosts stay.
			if ( ! str_starts_with( $match[1], home_url( '/' ) ) ) {
				return $match[0];
			}
			$path     = str_replace( home_url( '/' ), ABSPATH, strtok( html_entity_decode( $match[1] ), '?' ) );
			$scripts .= file_get_contents( $path ) . ";\n";
			return '';
		}, $html );
		$name = md5( $scripts ) . '.js';
		wp_mkdir_p( WP_CONTENT_DIR . '/cache' );
		file_put_contents( WP_CONTENT_DIR . "/cache/$name", $scripts );
		return str_replace( '</body>', '<script src="' . content_url( "cache/$name" ) . '" defer></script></body>', $html );
	},
	// All scripts wait for the first interaction, and are then loaded in their order.
	'delayed'  => fn( string $html ): string => str_replace(
		'</body>',
		'<script>(() => { const kinds = ["mousemove", "keydown", "touchstart", "wheel"]; const load = async () => { kinds.forEach((kind) => removeEventListener(kind, load)); for (const old of document.querySelectorAll("script[data-later]")) await new Promise((resolve) => { const script = document.createElement("script"); script.onload = script.onerror = resolve; script.src = old.dataset.later; old.replaceWith(script); }); }; kinds.forEach((kind) => addEventListener(kind, load)); })()</script></body>',
		preg_replace( CLASSIC_SCRIPT, '<script type="text/later" data-later="$1"></script>', $html )
	),
	'async'    => fn( string $html ): string => preg_replace( CLASSIC_SCRIPT, '<script data-cfasync="false" async="async" src="$1"></script>', $html ),
	// As plugins for old browsers wrote it.
	'footer'   => function ( string $html ): string {
		preg_match_all( CLASSIC_SCRIPT, $html, $all );
		$moved = array_map( fn( $address ) => '<script type="text/javascript" src="' . $address . '"></script>', $all[1] );
		return str_replace( '</body>', implode( '', $moved ) . '</body>', preg_replace( CLASSIC_SCRIPT, '', $html ) );
	},
	// Without comments, space between tags, and quotes that HTML does not need.
	'minified' => fn( string $html ): string => implode( '', array_map(
		fn( string $part ): string => preg_match( '~^<(script|style)~', $part ) ? $part : preg_replace(
			array( '~<!--.*?-->~s', '~>\s+<~', '~\s+~', '~(\s[\w-]+)="([\w.+/:-]*[\w.+-])"~', '~(\s[\w-]+)=""~' ),
			array( '', '><', ' ', '$1=$2', '$1' ),
			$part
		),
		preg_split( '~(<(?:script|style)\b.*?</(?:script|style)>)~s', $html, -1, PREG_SPLIT_DELIM_CAPTURE )
	) ),
);

$imitation = $_GET['imitate'] ?? '';
if ( isset( $imitations[ $imitation ] ) ) {
	add_action( 'template_redirect', fn() => ob_start( $imitations[ $imitation ] ) );
}
// A theme that makes paragraphs and typographic quotes after the shortcodes, and does these again.
if ( 'filters' === $imitation ) {
	foreach ( array( 'wpautop', 'wptexturize', 'do_shortcode' ) as $filter ) {
		add_filter( 'the_content', $filter, 30 );
	}
}
if ( 'arabic' === $imitation ) {
	add_filter( 'locale', fn() => 'ar' );
	add_action( 'init', fn() => $GLOBALS['wp_locale']->text_direction = 'rtl' );
}
