<?php
/**
 * Plugin Name:       Signup Form
 * Description:       The shortcode [newsletter_kit]: a newsletter form that posts to your relay, to n8n or to your own server.
 * Version:           0.0.0
 * Requires at least: 6.3
 * Requires PHP:      7.4
 * License:           MIT
 * Update URI:        false
 */
namespace NewsletterKit\SignupForm;

defined( 'ABSPATH' ) || exit;

const OPTION  = 'newsletter_kit_signup_form';
const INITIAL = array( 'endpoint' => '', 'layout' => 'card', 'theme' => '', 'fields' => '' );

function settings(): array {
	return array_merge( INITIAL, array_intersect_key( (array) get_option( OPTION ), INITIAL ) );
}

function choices(): array {
	$themes = array_map( fn( $file ) => basename( $file, '.css' ), glob( __DIR__ . '/themes/*.css' ) ?: array() );
	return array( 'layout' => array( 'inline', 'joined', 'stacked', 'card', 'cover' ), 'theme' => array( '', ...$themes ) );
}

/** With a wrong endpoint there is no form; with a wrong layout or theme the form has the usual one. */
function problems( array $settings ): array {
	$problems = array();
	$is_https = is_ssl() || 0 === stripos( home_url(), 'https:' );
	if ( '' === $settings['endpoint'] ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: it has no endpoint.', 'signup-form' );
	} elseif ( ! preg_match( '~^https?://[^/]~', $settings['endpoint'] ) ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: its endpoint does not begin with https://.', 'signup-form' );
	} elseif ( $is_https && 0 === strpos( $settings['endpoint'], 'http:' ) ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: browsers block an endpoint with http:// on a site with https://.', 'signup-form' );
	}
	foreach ( choices() as $name => $known ) {
		if ( ! in_array( $settings[ $name ], $known, true ) ) {
			/* translators: 1: "layout" or "theme", 2: an unknown name, 3: the known names */
			$problems[ $name ] = sprintf( __( 'There is no %1$s "%2$s". Take one of %3$s.', 'signup-form' ), $name, $settings[ $name ], implode( ', ', array_filter( $known ) ) );
		}
	}
	return $problems;
}

function language(): string {
	return strtolower( substr( determine_locale(), 0, 2 ) );
}

/** The script is one file, so that it works where a caching plugin combines it with others, moves or delays it. */
function enqueue(): void {
	$files = array( 'signup-form-complete.js', 'languages/' . language() . '.js', 'signup-form.css', 'themes/' . sanitize_file_name( settings()['theme'] ) . '.css' );
	foreach ( array_filter( $files, fn( $file ) => is_file( __DIR__ . "/$file" ) ) as $file ) {
		$is_script = '.js' === substr( $file, -3 );
		$add       = $is_script ? 'wp_enqueue_script' : 'wp_enqueue_style';
		$add( 'signup-form-' . pathinfo( $file, PATHINFO_FILENAME ), plugins_url( $file, __FILE__ ), array(), filemtime( __DIR__ . "/$file" ), $is_script ? array( 'strategy' => 'defer', 'in_footer' => true ) : 'all' );
	}
}

/** On one line, because some themes make paragraphs of lines; in a div, because a form would end the paragraph around it. */
add_shortcode( 'newsletter_kit', function ( $attributes ): string {
	$own      = shortcode_atts( array( 'layout' => '', 'fields' => '', 'heading' => '', 'note' => '', 'button' => '' ), $attributes );
	$settings = array_merge( settings(), array_filter( array_intersect_key( $own, INITIAL ) ) );
	$problems = problems( $settings );
	$notice   = '';
	if ( $problems && ( current_user_can( 'manage_options' ) || ( $own['layout'] && current_user_can( 'edit_post', get_the_ID() ) ) ) ) {
		$notice = sprintf( '<p role="note" style="border: 2px solid; padding: .75em">%s <a href="%s">%s</a></p>', esc_html( implode( ' ', $problems ) ), esc_url( admin_url( 'options-general.php?page=signup-form' ) ), esc_html__( 'Settings. Visitors do not see this note.', 'signup-form' ) );
	}
	if ( isset( $problems['endpoint'] ) ) {
		return $notice;
	}
	enqueue();
	$file   = __DIR__ . '/languages/' . language() . '.json';
	$texts  = array_filter( array( 'button' => $own['button'] ) ) + ( is_file( $file ) ? (array) wp_json_file_decode( $file ) : array() );
	$texts += array( 'emailLabel' => 'Email address', 'button' => 'Subscribe', 'optional' => '(optional)' );
	$before = '' === $own['heading'] ? '' : '<h2 slot="head">' . esc_html( $own['heading'] ) . '</h2>';
	$labels = sprintf( '<label><b>%s</b> <input name="email" inputmode="email" pattern=".+@.+" autocomplete="email" required></label>', esc_html( $texts['emailLabel'] ) );
	foreach ( array_filter( array_map( 'trim', explode( ',', $settings['fields'] ) ), 'strlen' ) as $name ) {
		$before .= sprintf( '<newsletter-field name="%s"></newsletter-field>', esc_attr( $name ) );
		$labels .= sprintf( '<label><b>%s <small>%s</small></b> <input name="custom_fields[%s]"></label>', esc_html( $name ), esc_html( $texts['optional'] ), esc_attr( $name ) );
	}
	$form = sprintf( '<form slot="fallback" action="%s" method="post">%s<button>%s</button></form>', esc_url( $settings['endpoint'] ), $labels, esc_html( $texts['button'] ) );
	$note = '' === $own['note'] ? '' : '<p slot="note">' . esc_html( $own['note'] ) . '</p>';
	return sprintf( '%s<div><newsletter-signup layout="%s" text-button="%s">%s</newsletter-signup></div>', $notice, esc_attr( isset( $problems['layout'] ) ? INITIAL['layout'] : $settings['layout'] ), esc_attr( $texts['button'] ), $before . $form . $note );
} );

// The tag, or its div, in an author's own HTML needs the script too.
foreach ( array( 'the_content', 'render_block_core/html', 'widget_custom_html_content' ) as $hook ) {
	add_filter( $hook, function ( $content ) {
		preg_match( '/<newsletter-signup|data-newsletter-signup/', $content ) && enqueue();
		return $content;
	}, 20 );
}

function sanitize( $input ): array {
	$settings = array_map( 'sanitize_text_field', array_intersect_key( (array) $input, INITIAL ) );
	$endpoint = sanitize_url( filter_var( $input['endpoint'] ?? '' ), array( 'https', 'http' ) );
	return array_merge( $settings, array_filter( array( 'endpoint' => $endpoint ) ) );
}
add_action( 'admin_init', fn() => register_setting( OPTION, OPTION, array( 'sanitize_callback' => __NAMESPACE__ . '\sanitize' ) ) );
add_action( 'admin_menu', fn() => add_options_page( 'Signup Form', 'Signup Form', 'manage_options', 'signup-form', function () {
	$problems = problems( settings() );
	$message  = implode( ' ', $problems ) ?: __( 'Write [newsletter_kit] where the form belongs.', 'signup-form' );
	printf( '<div class="wrap"><h1>Signup Form</h1><div class="notice notice-%s"><p>%s</p></div><form action="options.php" method="post">', $problems ? 'warning' : 'info', esc_html( $message ) );
	settings_fields( OPTION );
	$titles = array( __( 'Endpoint: the address that receives signups', 'signup-form' ), __( 'Layout', 'signup-form' ), __( 'Theme', 'signup-form' ), __( 'Custom fields, separated by commas', 'signup-form' ) );
	$rows   = '';
	foreach ( array_combine( array_keys( INITIAL ), $titles ) as $name => $title ) {
		$value   = settings()[ $name ];
		$options = implode( '', array_map( fn( $choice ) => sprintf( '<option%s>%s</option>', selected( $choice, $value, false ), esc_html( $choice ) ), choices()[ $name ] ?? array() ) );
		$control = $options ? '<select id="%1$s" name="%2$s">%4$s</select>' : '<input class="regular-text" id="%1$s" name="%2$s" value="%3$s">';
		$rows   .= sprintf( '<tr><th><label for="%1$s">%5$s</label></th><td>' . $control . '</td></tr>', esc_attr( $name ), esc_attr( OPTION . "[$name]" ), esc_attr( $value ), $options, esc_html( $title ) );
	}
	echo '<table class="form-table">' . $rows . '</table>' . get_submit_button() . '</form></div>'; // phpcs:ignore WordPress.Security.EscapeOutput -- escaped above.
} ) );
